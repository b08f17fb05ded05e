import BleperaEventLoop
import BleperaLoop
import CBleperaDBus

/// The libdbus connection and the watches and timeouts that the event loop runs for the connection.
///
/// libdbus calls back reentrantly, always on the loop's thread.
@safe final class Transport: @unchecked Sendable {  // confined to the loop's thread
  private let loop: EventLoop
  private var connection: OpaquePointer?
  private var sources: [OpaquePointer: EventSource] = unsafe [:]
  private var turn: EventSource?
  private var isDispatching = false
  private let receive: @Sendable (OpaquePointer) -> Void

  /// Connects without waiting; authentication continues in the background.
  ///
  /// - Parameter receive: called for every message, on the loop's thread; the message is borrowed.
  init(
    address: BusAddress, loop: EventLoop, receive: @escaping @Sendable (OpaquePointer) -> Void
  ) throws(DBusFailure) {
    self.loop = loop
    unsafe self.receive = unsafe receive
    dbus_threads_init_default()
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    unsafe connection = unsafe dbus_connection_open_private(address.text, &error)
    guard let connection = unsafe connection else {
      let reason = unsafe error.message.map { unsafe String(cString: $0) } ?? "no memory"
      throw .cannotConnect(address: address, reason: reason)
    }
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe dbus_connection_set_watch_functions(
      connection,
      { watch, this in
        unsafe Transport.from(this).update(watch!)
        return 1
      },
      { watch, this in unsafe Transport.from(this).sources[watch!] = nil },
      { watch, this in unsafe Transport.from(this).update(watch!) },
      unsafe this, nil)
    unsafe dbus_connection_set_dispatch_status_function(
      connection, { _, status, this in unsafe Transport.from(this).statusChanged(to: status) }, unsafe this, nil)
    unsafe dbus_connection_add_filter(
      connection,
      { _, message, this in
        unsafe Transport.from(this).receive(message!)
        return DBUS_HANDLER_RESULT_HANDLED
      }, unsafe this, nil)
  }

  /// Must be closed already: libdbus would otherwise call into a deallocated object.
  deinit { unsafe assert(connection == nil, "a transport ends with close()") }

  func close() {
    guard let connection = unsafe connection else { return }
    unsafe Self.flush(connection)
    unsafe dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    unsafe dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    unsafe sources = unsafe [:]
    turn = nil
    unsafe dbus_connection_close(connection)
    unsafe dbus_connection_unref(connection)
    unsafe self.connection = nil
  }

  /// Sends queued messages for at most 200 ms: `dbus_connection_flush` would block the loop for as long as the bus does
  /// not read.
  private static func flush(_ connection: OpaquePointer) {
    guard unsafe dbus_connection_get_is_authenticated(connection) != 0 else { return }
    let end = ContinuousClock.now + .milliseconds(200)
    while unsafe dbus_connection_has_messages_to_send(connection) != 0, ContinuousClock.now < end {
      guard unsafe dbus_connection_read_write(connection, 20) != 0 else { return }
    }
  }

  /// The queued bytes that are not yet written to the socket.
  var outgoingSize: Int { unsafe connection.map { unsafe dbus_connection_get_outgoing_size($0) } ?? 0 }

  var canSendFileDescriptors: Bool {
    unsafe connection.map { unsafe dbus_connection_can_send_type($0, fileDescriptorCode) != 0 } ?? false
  }

  /// Queues and consumes a message; returns its serial, or nil if out of memory or disconnected.
  func send(_ message: OpaquePointer) -> UInt32? {
    defer { unsafe dbus_message_unref(message) }
    var serial: dbus_uint32_t = 0
    guard let connection = unsafe connection, unsafe dbus_connection_get_is_connected(connection) != 0,
      unsafe dbus_connection_send(connection, message, &serial) != 0
    else { return nil }
    return serial
  }

  func setUniqueName(_ name: String) {
    guard let connection = unsafe connection else { return }
    unsafe dbus_bus_set_unique_name(connection, name)
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> Transport {
    unsafe Unmanaged<Transport>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func update(_ watch: OpaquePointer) {
    guard unsafe dbus_watch_get_enabled(watch) != 0 else { return unsafe sources[watch] = nil }
    guard unsafe sources[watch] == nil else { return }
    let flags = unsafe dbus_watch_get_flags(watch)
    let reads = flags & DBUS_WATCH_READABLE.rawValue != 0
    nonisolated(unsafe) let shared = unsafe watch  // used on the loop's thread only
    unsafe sources[watch] = unsafe loop.watch(
      descriptor: dbus_watch_get_unix_fd(watch), for: reads ? .reading : .writing
    ) {
      [weak self] readiness in
      unsafe self?.ready(shared, readiness)
    }
  }

  private func ready(_ watch: OpaquePointer, _ readiness: Readiness) {
    guard unsafe sources[watch] != nil else { return }
    var flags: UInt32 = 0
    if readiness.contains(.reading) { flags |= DBUS_WATCH_READABLE.rawValue }
    if readiness.contains(.writing) { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if !readiness.isDisjoint(with: .hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
    isDispatching = true
    unsafe dbus_watch_handle(watch, flags)
    dispatch()
  }

  /// A connection that breaks while sending has no watch left that would dispatch its last message.
  private func statusChanged(to status: DBusDispatchStatus) {
    guard status == DBUS_DISPATCH_DATA_REMAINS, !isDispatching else { return }
    dispatchLater()
  }

  private func dispatchLater() { turn = loop.schedule(after: .zero) { [weak self] in self?.dispatch() } }

  /// Delivers received messages, a bounded number per turn so that a flood cannot starve the rest of the loop.
  private func dispatch() {
    isDispatching = true
    defer { isDispatching = false }
    for _ in 0..<64 {
      // A receiver may have closed the connection.
      guard let connection = unsafe connection else { return }
      guard unsafe dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS else { return }
    }
    dispatchLater()
  }
}

/// `DBUS_TYPE_UNIX_FD`, whose macro Swift does not import.
private let fileDescriptorCode = CInt(UInt8(ascii: "h"))
