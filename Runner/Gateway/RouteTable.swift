import FunctionKit
import HTTP1
import Manifest

/// The functions behind the routes of `functions.json`.
struct RouteTable: Sendable {
  /// The routes by their number of segments.
  private var entries: [Int: [(pattern: RoutePattern, target: String)]] = [:]
  private var beginnings: Set<String> = []

  struct Match: Sendable {
    var function: String
    var pattern: RoutePattern
    var parameters: [(name: String, value: String)]
  }

  enum Finding {
    case match(Match)
    /// There are routes with this path, but with other methods.
    case otherMethods([String])
    /// There is no such path, but other paths of functions begin with the same segment.
    case nothingBeside
    case nothing

    var isNothing: Bool {
      switch self {
      case .nothing, .nothingBeside: true
      case .match, .otherMethods: false
      }
    }
  }

  init(_ functions: some Sequence<FunctionEntry>) {
    for entry in functions {
      for pattern in entry.http.routes {
        entries[pattern.segments.count, default: []].append((pattern, entry.name))
        if case .literal(let text) = pattern.segments.first { beginnings.insert(text) }
      }
    }
  }

  /// The route of a path.
  func find(_ method: String, _ path: String) -> Finding {
    let path = RoutePattern.split(path)
    // A parameter does not match the gateway's own paths.
    guard let first = path.first, !RoutePattern.reserved.contains(first) else { return .nothing }
    switch RouteFinding(method, path, among: entries[path.count] ?? []) {
    case .match(let pattern, let function, let parameters):
      return .match(Match(function: function, pattern: pattern, parameters: parameters))
    case .otherMethods(let methods): return .otherMethods(methods)
    case .nothing: return beginnings.contains(String(first)) ? .nothingBeside : .nothing
    }
  }
}
