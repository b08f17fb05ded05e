// `import CoreBluetooth` alone brings these on Apple's platforms too, and apps rely on it.
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation

/// The queue type as Objective-C names it.
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias dispatch_queue_t = DispatchQueue
