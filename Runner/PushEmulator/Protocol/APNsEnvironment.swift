/// One of APNs' two environments; a token is good in one of them.
enum APNsEnvironment: String, Sendable, CaseIterable {
  case production, sandbox
}
