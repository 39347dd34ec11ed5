import Emulation

/// Who may use the control API: programs on this machine, and no web page that a browser shows there.
struct ControlAccess: Sendable {
  private let hosts: Set<String>

  /// Access by the names of the loopback interface and the address listened on.
  init(host: String) {
    hosts = ["127.0.0.1", "localhost", "[::1]", host.contains(":") ? "[\(host)]".lowercased() : host.lowercased()]
  }

  /// Refuses a foreign name, which is how a rebound DNS entry arrives, and requests that other sites caused.
  func check(authority: String, origin: String?, fetchSite: String?) throws(BadRequest) {
    let authority = authority.lowercased()
    guard hosts.contains(String(authority.replacing(/:\d*$/, with: ""))) else {
      throw BadRequest(status: 421, "This is not the server for \(authority).")
    }
    guard origin.map({ $0.lowercased() == "https://\(authority)" }) ?? true,
      ["same-origin", "none", nil].contains(fetchSite)
    else { throw BadRequest(status: 403, "Other sites have no access.") }
  }
}
