import HTTP1
import Manifest
import System
import Workers

/// What the head of a request asks for.
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
