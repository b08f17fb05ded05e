/// Every key of the document. A name that changes is a new version of the document.
enum StateKey: String, CodingKey, CaseIterable {
  case version = "Version"
  case apps = "Apps"

  // An app.
  case identity = "Identity"
  case launch = "Launch"
  case since = "Since"
  case ended = "Ended"
  case services = "Services"
  case advertisement = "Advertisement"
  case subscribers = "Subscribers"

  // Its identity.
  case bundleIdentifier = "BundleIdentifier"
  case name = "Name"
  case backgroundModes = "BackgroundModes"
  case restoreIdentifier = "RestoreIdentifier"
  case rules = "Rules"
  case usesAccessorySetup = "UsesAccessorySetup"
  case foregroundInterval = "ForegroundInterval"
  case backgroundInterval = "BackgroundInterval"
  case suspendedError = "SuspendedError"
  case disablesCachedValues = "DisablesCachedValues"

  // Its launch and its end.
  case arguments = "Arguments"
  case folder = "Folder"
  case environment = "Environment"
  case cause = "Cause"
  case at = "At"

  // A service.
  case id = "ID"
  case definition = "Definition"
  case handles = "Handles"
  case application = "Application"
  case place = "Place"
  case descriptorValues = "DescriptorValues"

  // Its definition.
  case uuid = "UUID"
  case isPrimary = "Primary"
  case includedServices = "IncludedServices"
  case characteristics = "Characteristics"
  case properties = "Properties"
  case permissions = "Permissions"
  case value = "Value"
  case descriptors = "Descriptors"

  // Its handles.
  case start = "Start"
  case end = "End"
  case includes = "Includes"
  case declaration = "Declaration"
  case clientConfiguration = "ClientConfiguration"
  case extendedProperties = "ExtendedProperties"

  // A descriptor's value.
  case characteristic = "Characteristic"
  case descriptor = "Descriptor"

  // An advertisement.
  case asked = "Asked"
  case granted = "Granted"
  case order = "Order"
  case localName = "LocalName"
  case serviceUUIDs = "ServiceUUIDs"

  // A subscriber.
  case central = "Central"
  case isBonded = "Bonded"
  case updates = "Updates"
  case service = "Service"
  case index = "Index"
}
