/// One of APNs' two environments.
///
/// A token is valid in one of them.
enum APNsEnvironment: String, Sendable, CaseIterable {
  case production, sandbox
}
