import BleperaProfile

/// The profile of the apps in scenarios, traces and phones.
enum SampleProfile {
  static let profile: Profile = {
    guard let profile = Profile.check(Array(text.utf8), file: "sample.plist").profile else {
      fatalError("the sample is a profile")
    }
    return profile
  }()

  static let text = """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>org.blepera.heart-rate</string>
      <key>UIBackgroundModes</key><array><string>bluetooth-peripheral</string></array>
      <key>BLEPeripheral</key><dict>
        <key>RestoreIdentifier</key><string>heart-rate</string>
        <key>Advertisement</key><dict>
          <key>LocalName</key><string>Heart Rate</string>
          <key>ServiceUUIDs</key><array><string>180D</string></array>
        </dict>
        <key>Services</key><array><dict>
          <key>UUID</key><string>180D</string>
          <key>Characteristics</key><array>
            <dict>
              <key>UUID</key><string>2A37</string>
              <key>Properties</key><array><string>read</string><string>notify</string></array>
              <key>Permissions</key><array><string>readable</string></array>
              <key>Behavior</key><dict>
                <key>Kind</key><string>random</string><key>Format</key><string>uint16</string>
                <key>Minimum</key><integer>0</integer><key>Maximum</key><integer>65535</integer>
                <key>Interval</key><integer>5</integer>
              </dict>
            </dict>
            <dict>
              <key>UUID</key><string>2A38</string>
              <key>Properties</key><array><string>read</string></array>
              <key>Permissions</key><array><string>readable</string></array>
              <key>Value</key><data>AQ==</data>
            </dict>
            <dict>
              <key>UUID</key><string>2A39</string>
              <key>Properties</key><array>
                <string>read</string><string>write</string><string>writeWithoutResponse</string><string>indicate</string>
              </array>
              <key>Permissions</key><array><string>readable</string><string>writeable</string></array>
              <key>Behavior</key><dict><key>Kind</key><string>echo</string></dict>
            </dict>
          </array>
        </dict></array>
      </dict>
    </dict></plist>
    """
}
