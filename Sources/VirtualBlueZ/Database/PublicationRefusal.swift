/// Why an application is not taken, as GattManager1.RegisterApplication says it (measured).
package enum PublicationRefusal: String, Error, Sendable {
  case noObject = "No object received"
  case noService = "No valid service object found"
  case noEntry = "Failed to create entry in database"
}
