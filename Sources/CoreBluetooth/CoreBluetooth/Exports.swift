// `import CoreBluetooth` alone brings these on Apple's platforms too, and apps rely on it. It does not bring BleperaOS, whose
// Logger would be ambiguous beside that of swift-log.
@_exported public import BleperaAppleNames
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation

/// The queue type as Objective-C names it.
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias dispatch_queue_t = DispatchQueue
