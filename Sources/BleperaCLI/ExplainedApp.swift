import Policy
import Profile

/// An app that `blepera explain` is asked about.
struct ExplainedApp: Equatable {
  let id: AppID
  let identifier: String
  let description: AppDescription
  /// Nil where it does not advertise.
  let fields: AdvertisedFields?
  /// What a central may do with its services, each once.
  let requests: [CentralRequest]

  init(_ profile: Profile, fileName: String, number: Int) {
    id = AppID(rawValue: number)
    identifier = profile.bundleIdentifier ?? fileName
    description = profile.appDescription(fileName: fileName)
    fields = profile.advertisedFields
    let characteristics = profile.services.flatMap(\.characteristics).map(\.definition)
    requests = CentralRequest.allCases.filter { request in characteristics.contains(where: request.isPossible) }
  }
}

extension ProfileFiles {
  /// The apps that the profiles are, in their order; nil where one has an error.
  var apps: [ExplainedApp]? {
    profiles?.enumerated().map { ExplainedApp($1.profile, fileName: $1.name, number: $0 + 1) }
  }
}

extension ExplainedApp: Encodable {
  private enum CodingKeys: CodingKey {
    case identifier, name, backgroundMode, localName, serviceUUIDs
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(description.name, forKey: .name)
    try container.encode(description.hasBackgroundMode, forKey: .backgroundMode)
    try container.encodeIfPresent(fields?.localName, forKey: .localName)
    try container.encodeIfPresent(fields?.serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
  }
}
