/// What the head of a request asks for.
enum Route {
  /// The head alone decides the answer: a body is not kept.
  case answered(GatewayAnswer)
  case state
  case metrics
  case call(CallableFunction)
}

/// A function as the gateway calls it.
@RunnerLoop
struct CallableFunction {
  let pool: FunctionPool
  let auth: HTTPTrigger.Auth
  let secrets: WebhookSecrets?

  var name: String { pool.entry.name }
}
