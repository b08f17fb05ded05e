package import GATT

/// What an iPhone would send.
package struct PhoneAdvertisement: Hashable, Sendable {
  /// Of ADV_IND, at most 31 bytes.
  package let advertisingData: AdvertisingData
  /// At most 31 bytes.
  package let scanResponse: AdvertisingData
  /// Bytes that the apps' UUIDs and name take of `RuleSet.foregroundBudget`.
  package let budgetUsed: Int
  /// Bytes that the name takes of `RuleSet.scanResponseNameBudget`.
  package let nameBudgetUsed: Int
}
