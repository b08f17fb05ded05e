import FoundationEssentials
import BleperaBluetooth
import BleperaPreservation

/// A document as version 1 was written, and what it means; its checksum is zlib's.
enum VersionOne {
  static let document = #"""
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    	<key>Apps</key>
    	<array>
    		<dict>
    			<key>Ended</key>
    			<dict>
    				<key>At</key>
    				<date>2026-01-02T03:04:05Z</date>
    				<key>Cause</key>
    				<string>memoryPressure</string>
    			</dict>
    			<key>Identity</key>
    			<dict>
    				<key>BackgroundModes</key>
    				<array>
    					<string>bluetooth-peripheral</string>
    				</array>
    				<key>BundleIdentifier</key>
    				<string>org.example.lock</string>
    				<key>Name</key>
    				<string>Lock</string>
    				<key>RestoreIdentifier</key>
    				<string>lock</string>
    				<key>Rules</key>
    				<dict>
    					<key>BackgroundInterval</key>
    					<real>1022.5</real>
    					<key>DisablesCachedValues</key>
    					<false/>
    					<key>ForegroundInterval</key>
    					<real>100</real>
    				</dict>
    			</dict>
    			<key>Launch</key>
    			<dict>
    				<key>Arguments</key>
    				<array>
    					<string>blepera</string>
    					<string>serve</string>
    				</array>
    				<key>Environment</key>
    				<dict>
    					<key>COLOR</key>
    					<array>
    						<data>
    						G1sxbQ==
    						</data>
    					</array>
    					<key>ONE</key>
    					<string>1</string>
    				</dict>
    				<key>Folder</key>
    				<string>/srv</string>
    			</dict>
    			<key>Services</key>
    			<array>
    				<dict>
    					<key>Application</key>
    					<integer>1</integer>
    					<key>Definition</key>
    					<dict>
    						<key>Characteristics</key>
    						<array>
    							<dict>
    								<key>Descriptors</key>
    								<array/>
    								<key>Permissions</key>
    								<array>
    									<string>readable</string>
    								</array>
    								<key>Properties</key>
    								<array>
    									<string>read</string>
    									<string>notify</string>
    								</array>
    								<key>UUID</key>
    								<string>2A19</string>
    							</dict>
    						</array>
    						<key>IncludedServices</key>
    						<array/>
    						<key>Primary</key>
    						<true/>
    						<key>UUID</key>
    						<string>180F</string>
    					</dict>
    					<key>Handles</key>
    					<dict>
    						<key>Characteristics</key>
    						<array>
    							<dict>
    								<key>ClientConfiguration</key>
    								<integer>259</integer>
    								<key>Declaration</key>
    								<integer>257</integer>
    								<key>Descriptors</key>
    								<array/>
    								<key>Value</key>
    								<integer>258</integer>
    							</dict>
    						</array>
    						<key>End</key>
    						<integer>259</integer>
    						<key>Includes</key>
    						<array/>
    						<key>Start</key>
    						<integer>256</integer>
    					</dict>
    					<key>ID</key>
    					<integer>1</integer>
    					<key>Place</key>
    					<integer>0</integer>
    				</dict>
    			</array>
    			<key>Since</key>
    			<date>2026-01-01T00:00:00Z</date>
    			<key>Subscribers</key>
    			<array>
    				<dict>
    					<key>Bonded</key>
    					<false/>
    					<key>Central</key>
    					<string>F0:F1:F2:F3:00:01</string>
    					<key>Characteristic</key>
    					<dict>
    						<key>Index</key>
    						<integer>0</integer>
    						<key>Service</key>
    						<integer>1</integer>
    					</dict>
    				</dict>
    			</array>
    		</dict>
    	</array>
    	<key>Version</key>
    	<integer>1</integer>
    </dict>
    </plist>
    <!-- CRC-32 E5366E68 -->

    """#

  static let state = PreservedState(apps: [
    PreservedApp(
      identity: AppIdentity(
        bundleIdentifier: "org.example.lock", name: "Lock", backgroundModes: ["bluetooth-peripheral"],
        restoreIdentifier: "lock",
        rules: RuleOverrides(foregroundInterval: 100, backgroundInterval: 1022.5, disablesCachedValues: false)),
      launch: LaunchDescription(
        arguments: ["blepera", "serve"], folder: "/srv", environment: ["COLOR": "\u{1B}[1m", "ONE": "1"]),
      since: Date(timeIntervalSince1970: 1_767_225_600),
      termination: AppTermination(cause: .memoryPressure, at: Date(timeIntervalSince1970: 1_767_323_045)),
      services: [
        PreservedService(
          id: ServiceID(rawValue: 1),
          definition: ServiceDefinition(
            uuid: BluetoothUUID(0x180F as UInt16),
            characteristics: [
              CharacteristicDefinition(
                uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .notify], permissions: .readable)
            ]),
          handles: ServiceHandles(
            start: 0x0100, end: 0x0103,
            characteristics: [
              CharacteristicHandles(declaration: 0x0101, value: 0x0102, clientConfiguration: 0x0103)
            ]))
      ],
      subscribers: [
        PreservedSubscriber(
          central: CentralID(rawValue: "F0:F1:F2:F3:00:01"), isBonded: false,
          characteristic: CharacteristicID(service: ServiceID(rawValue: 1), index: 0))
      ])
  ])
}
