import BleperaAppLink

extension FuzzTarget {
  /// Lines that apps send to a phone, and actions of a user and a central (`FuzzedPhone.perform`).
  static let appLink = FuzzTarget("applink") { bytes in
    let phone = FuzzedPhone()
    phone.perform(bytes)
    phone.useEverything()
    phone.check()
  }

  /// The same lines for a phone that serves a profile to a central.
  static let control = FuzzTarget("control") { bytes in
    let phone = FuzzedPhone()
    phone.serve(SampleProfile.profile)
    phone.useEverything()
    phone.perform(bytes)
    phone.check()
  }
}
