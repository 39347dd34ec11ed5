/// One of APNs' two environments; a token is good in one of them.
package enum APNsEnvironment: String, Sendable, CaseIterable {
  case production, sandbox
}
