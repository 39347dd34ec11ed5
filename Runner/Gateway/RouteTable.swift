import FunctionKit
import HTTP1
import Manifest
import System
import Workers

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

/// The thing for which the head of a request asks.
enum Route {
  /// The head alone decides the answer: a body is not kept.
  case answered(HTTP1Answer)
  case state
  case metrics
  case call(Call)
  /// One of the pages for people.
  case page
  /// An answer of them without an end, whose head this is.
  case stream(HTTP1Answer)

  /// Whether its answer comes later.
  var takesTime: Bool {
    switch self {
    case .call, .metrics, .page: true
    case .answered, .state, .stream: false
    }
  }

  /// A call of a function.
  @RunnerLoop
  struct Call {
    let function: CallableFunction
    /// The route that led to it; `nil` if it was called by its name.
    var match: RouteTable.Match?
    /// The page of another site that calls and is allowed to.
    var origin: String?

    /// An answer in the form that this caller gets.
    func shaped(_ answer: HTTP1Answer) -> HTTP1Answer {
      let answer = (match == nil ? answer : answer.asAPIError).confined(to: function.pool.entry.http.pages)
      return origin.map(answer.allowing) ?? answer
    }
  }
}

/// A function as the gateway calls it.
@RunnerLoop
struct CallableFunction {
  let pool: FunctionPool
  let auth: HTTPTrigger.Auth
  let secrets: WebhookSecrets?
  let limit: CallerLimit?
  /// In bytes.
  let largestBody: Int

  var name: String { pool.entry.name }
}
