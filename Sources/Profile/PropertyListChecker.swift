/// Turns a property list into a value of its own, and reports everything that stands in the way.
package protocol PropertyListChecker {
  var faults: FaultList { get set }
}
