/// Where the values of a dynamic characteristic come from when no code says so.
///
/// A dynamic characteristic without a behavior keeps what was last written; it starts empty and notifies nothing.
public enum Behavior: Hashable, Sendable {
  case echo(Echo)
  case generator(Generator)
}
