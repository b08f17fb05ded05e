public import CoreFoundation
public import Foundation

extension RunLoop {
  /// The loop as Core Foundation's functions take it, such as `CFRunLoopStop` and `CFRunLoopWakeUp`.
  public func getCFRunLoop() -> CFRunLoop {
    // Foundation has the loop in a private property; there is no other way to the loop of another thread.
    guard let loop = Mirror(reflecting: self).descendant("_cfRunLoopStorage") as AnyObject?,
      CFGetTypeID(loop) == CFRunLoopGetTypeID()
    else { preconditionFailure("Foundation's RunLoop has no property _cfRunLoopStorage") }
    return unsafe Unmanaged<CFRunLoop>.fromOpaque(Unmanaged.passUnretained(loop).toOpaque()).takeUnretainedValue()
  }
}

/// The modes of `CFRunLoopMode`, which is a `CFString` on Linux.
extension CFString {
  /// The mode of a loop that is run without one.
  public static var defaultMode: CFRunLoopMode { kCFRunLoopDefaultMode }
  /// The modes that were added to the common ones.
  public static var commonModes: CFRunLoopMode { kCFRunLoopCommonModes }
  /// The mode itself, as `CFRunLoopPerformBlock` takes it.
  public var rawValue: CFString { self }
}
