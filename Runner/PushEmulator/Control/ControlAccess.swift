/// Allows the control API for programs on this machine, and refuses web pages in a browser.
struct ControlAccess: Sendable {
  private let hosts: Set<String>

  /// Access by the names of the loopback interface and by the address of the listener.
  init(host: String) {
    hosts = ["127.0.0.1", "localhost", "[::1]", host.contains(":") ? "[\(host)]".lowercased() : host.lowercased()]
  }

  /// Refuses a foreign host name, as after DNS rebinding, and requests from other sites.
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
