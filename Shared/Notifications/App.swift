/// The apps whose people are told.
///
/// Kinds, devices, switches and badges belong to one of them. The raw value stands in the column `app`.
public enum App: String, Sendable, CaseIterable {
  case feedbackKit = "feedbackkit"
  case lockItIn = "lockitin"
}
