// On Apple's platforms `import CoreBluetooth` exports these modules too, and apps rely on that. BleperaOS is not
// exported, because its Logger would be ambiguous beside swift-log's.
@_exported public import BleperaAppleNames
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation

/// The queue type as Objective-C names it.
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias dispatch_queue_t = DispatchQueue
