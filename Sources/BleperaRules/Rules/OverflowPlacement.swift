/// In which packet an iPhone sends the overflow area.
package enum OverflowPlacement: String, Hashable, Sendable {
  case advertisement
  case scanResponse
}
