/// The base class of central and peripheral managers.
open class CBManager: NSObject {
  /// Whether Bluetooth can be used; ``CBManagerState/unknown`` until the delegate has been called.
  open var state: CBManagerState { .unknown }

  /// Whether the user lets the app use Bluetooth. `blepera system --manager-state unauthorized` denies it.
  open class var authorization: CBManagerAuthorization { AppSession.authorization }

  /// Whether the user lets the app use Bluetooth.
  open var authorization: CBManagerAuthorization { Self.authorization }

  /// Creates the base of a manager; apps create central and peripheral managers.
  public override init() { super.init() }
}
