import FoundationEssentials
package import FunctionKit
package import HTTP1
package import Manifest
package import Metrics
package import System
package import Traces
package import Workers

/// Brings HTTP calls to functions and their results back.
@RunnerLoop
package final class Gateway {
  private(set) var access: GatewayAccess
  private let limit: CallLimit
  /// Whether the only function takes every path that is not the gateway's own.
  private let isForOne: Bool
  let surroundings: Surroundings
  private(set) var functions: [String: CallableFunction] = [:]
  private var elsewhere: Set<String> = []
  private var routesElsewhere = RouteTable([])
  private(set) var routes = RouteTable([])
  private let failedTokens: FailedTokens
  let keys: KeyCheck
  private var callIDs = RandomID.Series()
  private(set) var isDraining = false

  /// - Parameters:
  ///   - limit: how many calls of one function may be open. A further one gets 429.
  ///   - isForOne: whether there is one function, which takes every path that is not the gateway's own.
  package init(
    access: GatewayAccess, limit: CallLimit = .waiting(512), isForOne: Bool = false, _ surroundings: Surroundings
  ) {
    self.access = access
    self.limit = limit
    self.isForOne = isForOne
    self.surroundings = surroundings
    failedTokens = FailedTokens(log: surroundings.log)
    keys = KeyCheck(
      access.key, isBehindEngine: access.keepsSources, failed: FailedTokens(.keys, log: surroundings.log))
  }

  /// Makes these functions callable, instead of those before.
  ///
  /// - Parameters:
  ///   - elsewhere: functions that another runner has.
  ///   - access: who may call them, if that has changed, too.
  package func publish(
    _ pools: [String: FunctionPool], elsewhere: [FunctionEntry] = [], access: GatewayAccess? = nil
  ) {
    (self.elsewhere, routesElsewhere) = (Set(elsewhere.map(\.name)), RouteTable(elsewhere))
    if let access { (self.access, keys.key) = (access, access.key) }
    let access = self.access
    functions = pools.mapValues { pool in
      let limit = pool.entry.http.callsPerMinute.map { CallerLimit(callsAMinute: $0) }
      return CallableFunction(
        pool: pool, auth: pool.entry.http.auth, secrets: access.secrets[pool.entry.name], limit: limit,
        largestBody: pool.entry.http.largestBody ?? HTTPTrigger.mostBytes)
    }
    routes = RouteTable(pools.values.map(\.entry))
  }

  /// The client that has sent a request.
  ///
  /// - Parameter peer: who has opened the connection.
  func client(of head: HTTP1Request, from peer: IPAddress?) throws(UnreadableClient) -> IPAddress? {
    try access.proxies.client(of: head, from: peer)
  }

  /// Counts an answer that is being sent.
  func answered(_ status: Int) { surroundings.figures.answered(status) }

  /// Refuses further calls; calls that run are answered.
  package func drain() {
    isDraining = true
    surroundings.pages?.drain()
  }

  /// The route for which the head of a request asks.
  func route(_ head: HTTP1Request) -> Route {
    if let origin = access.crossOrigin.origin(of: head) { return crossOriginCall(head, from: origin) }
    if let refusal = access.origins?.refusal(of: head) { return followedLink(head) ?? .answered(refusal) }
    if head.path.hasPrefix(Self.prefix) { return call(head) }
    if let route = routed(head, origin: nil) ?? page(head) { return route }
    if head.path == "/", let only { return call(of: only, by: head) }
    guard let route = own(head) else {
      return only.map { call(of: $0, by: head) } ?? .answered(.notFound(head.path))
    }
    guard ["GET", "HEAD"].contains(head.method) else {
      return .answered(.methods("GET, HEAD, OPTIONS", for: head.method))
    }
    return route
  }

  /// Answers a request, now or when its function has.
  func answer(_ request: HTTP1Request, _ route: Route?, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void) {
    switch route {
    case .answered(let known): answer(known)
    case .state: answer(.json(200, surroundings.report().json))
    case .metrics: surroundings.metrics.text { answer(.metrics($0)) }
    case .call(let call):
      // The runner may have begun to stop, or have other functions, since the head came.
      guard !isDraining else { return answer(call.shaped(.stopping)) }
      guard let function = functions[call.function.name] else {
        return answer(call.shaped(.notFound(request.path)))
      }
      let call = Route.Call(function: function, match: call.match, origin: call.origin)
      take(call, request) { [self] result in
        if call.function.auth == .function { failedTokens.count(request, isRefused: result.status == 401) }
        answer(call.shaped(result))
      }
    case .page:
      guard let pages = surroundings.pages, !isDraining else { return answer(.stopping) }
      pages.answer(request, PageAccess(keys: keys), answer)
    case .stream(let head): answer(head)
    case nil: answer(.failure(400, "BAD_REQUEST", "The request has no head."))
    }
  }

  /// The path of every function.
  ///
  /// It is Supabase's, so that an app keeps its URL.
  private static let prefix = "/functions/v1/"

  /// A call from a page of another site that is allowed.
  ///
  /// Such a page may only call functions that check their callers.
  private func crossOriginCall(_ head: HTTP1Request, from origin: String) -> Route {
    if let refusal = access.origins?.foreignHost(of: head) { return .answered(refusal) }
    return routed(head, origin: origin) ?? .answered(access.origins?.refusal(of: head) ?? .notFound(head.path))
  }

  /// A call by a link on another site, to a function that checks its callers.
  ///
  /// The other site cannot read the answer, and a `GET` changes nothing.
  private func followedLink(_ head: HTTP1Request) -> Route? {
    guard access.origins?.isFollowedLink(head) == true,
      case .call(let call)? = routed(head, origin: nil) ?? only.map({ self.call(of: $0, by: head) }),
      call.function.auth == .function
    else { return nil }
    return .call(call)
  }

  /// The answer of the routes of `functions.json` to a request; `nil` if none has its path.
  private func routed(_ head: HTTP1Request, origin: String?) -> Route? {
    let finding = routes.find(head.method, head.path)
    if finding.isNothing, case .match(let match) = routesElsewhere.find(head.method, head.path) {
      let answer = HTTP1Answer.elsewhere(match.function).asAPIError
      return .answered(origin.map(answer.allowing) ?? answer)
    }
    switch finding {
    case .nothing: return nil
    case .nothingBeside: return .answered(HTTP1Answer.notFound(head.path).asAPIError)
    case .otherMethods(let methods):
      if head.method == "OPTIONS", let origin { return .answered(CrossOrigin.preflight(methods, for: origin)) }
      let answer = HTTP1Answer.methods((methods + ["OPTIONS"]).joined(separator: ", "), for: head.method).asAPIError
      return .answered(origin.map(answer.allowing) ?? answer)
    case .match(let match):
      guard let function = functions[match.function] else { return nil }
      let call = Route.Call(function: function, match: match, origin: origin)
      return refusal(of: head, to: function).map { .answered(call.shaped($0)) } ?? .call(call)
    }
  }

  private func call(_ head: HTTP1Request) -> Route {
    let path = head.path.dropFirst(Self.prefix.count)
    let name = path.prefix { $0 != "/" }
    guard let function = functions[String(name)],
      function.auth == .function || ["", "/"].contains(path[name.endIndex...])
    else {
      return .answered(
        elsewhere.contains(String(name))
          ? .elsewhere(String(name)) : .failure(404, "NOT_FOUND", "There is no function at \(head.path)."))
    }
    return call(of: function, by: head)
  }

  /// The function that takes every path.
  private var only: CallableFunction? { isForOne ? functions.values.first : nil }

  private func call(of function: CallableFunction, by head: HTTP1Request) -> Route {
    if let refusal = methodRefusal(of: head, to: function) { return .answered(refusal) }
    if function.auth == .key, let refusal = keyRefusal(of: head) { return .answered(refusal) }
    return refusal(of: head, to: function).map { .answered($0) } ?? .call(Route.Call(function: function))
  }

  private func methodRefusal(of head: HTTP1Request, to function: CallableFunction) -> HTTP1Answer? {
    function.auth == .function || head.method == "POST" ? nil : .methods("POST, OPTIONS", for: head.method)
  }

  private func refusal(of head: HTTP1Request, to function: CallableFunction) -> HTTP1Answer? {
    guard !isDraining else { return .stopping }
    if function.auth == .function, let seconds = failedTokens.secondsToWait(head) { return .guessing(seconds) }
    if let refusal = ContentCoding.refusal(of: head) { return refusal }
    guard let seconds = function.limit?.secondsToWait(head.headers["authorization"], from: head.client) else {
      return nil
    }
    return .failure(429, "TOO_MANY_REQUESTS", "Too many calls; try again in \(seconds) s.")
      .with("Retry-After", "\(seconds)")
  }

  /// Calls the function with the event of a request, or with each of its events.
  private func take(
    _ call: Route.Call, _ request: HTTP1Request, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) {
    if let problem = call.function.secrets?.problem(of: request, now: Int(Date.now.timeIntervalSince1970)) {
      return answer(problem.answer)
    }
    guard call.function.auth != .function else { return invoke(call, request, answer) }
    let batch: CallBatch?
    do { batch = try CallBatch(request) } catch { return answer(error.answer(callID: callIDs.next())) }
    guard let batch else { return invoke(call, request, answer) }
    BackgroundTask.start("calling a batch") { [self] in
      answer(await batch.answer { index, request in await invoke(call, request, at: index) })
    }
  }

  /// Calls a function for an engine that has let the caller in, and that has an id for the call.
  package func call(_ name: String, with request: HTTP1Request, id: String) async -> HTTP1Answer {
    guard let function = functions[name] else { return .notFound(request.path) }
    if let refusal = methodRefusal(of: request, to: function) ?? ContentCoding.refusal(of: request) { return refusal }
    if let problem = function.secrets?.problem(of: request, now: Int(Date.now.timeIntervalSince1970)) {
      return problem.answer
    }
    return await withCheckedContinuation { done in
      invoke(Route.Call(function: function), request, id: id) { done.resume(returning: $0) }
    }
  }

  /// Calls the function, as it is by now, with one event of a batch.
  private func invoke(_ call: Route.Call, _ request: HTTP1Request, at index: Int) async -> HTTP1Answer {
    guard let function = functions[call.function.name] else { return .notFound(request.path) }
    // The first was counted when the head came.
    if index > 0, let refusal = refusal(of: request, to: function) { return refusal }
    return await withCheckedContinuation { done in
      invoke(Route.Call(function: function), request) { done.resume(returning: $0) }
    }
  }

  /// - Parameter id: the call's; a new one unless given.
  private func invoke(
    _ call: Route.Call, _ request: HTTP1Request, id: String? = nil,
    _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) {
    let function = call.function
    let callID = id ?? callIDs.next()
    var event: CallEvent
    do {
      event = try CallEvent(
        request, to: function.name, auth: function.auth, by: call.match, callID: callID,
        now: surroundings.virtualTime(),
        keepsSource: access.keepsSources)
    } catch {
      return answer(error.answer(callID: callID))
    }
    var answer = answer
    if let traces = surroundings.traces {
      let route = call.match?.pattern.path ?? Self.prefix + function.name
      let span = traces.begin(event.envelope, request.method, route: route, to: function.name)
      event = event.traced(as: span.traceparent)
      answer = { [answer] result in
        span.end(result.status)
        answer(result)
      }
    }
    // A function that checks its callers must see them, so it is never called later.
    if let queue = surroundings.queue, function.auth != .function, Preference.respondAsync.isExpressed(in: request) {
      return queue.add(event, to: function.name, callID: callID, answer)
    }
    guard limit.hasRoom(in: function.pool) else {
      return answer(
        .failure(429, "TOO_MANY_REQUESTS", "\(function.name) has too many calls waiting.", callID: callID)
          .with("Retry-After", "1"))
    }
    let began = ContinuousClock.now
    let (history, log) = (surroundings.history, surroundings.log)
    let job = Job(id: event.envelope.id, line: event.line, trigger: .http) { [event, answer] outcome in
      history?.add(event, of: function.pool.entry, outcome, began: began)
      let result = HTTP1Answer(outcome, callID: callID)
      if let complaint = result.complaint {
        log.warning(
          "An answer cannot be sent",
          ["function.name": function.name, "call.id": callID, "problem": complaint])
      }
      answer(result)
    }
    function.pool.submit(job)
  }

  func own(_ head: HTTP1Request) -> Route? {
    switch head.path {
    case "/": .answered(frontPage(head))
    case "/_/health": .answered(.text(200, "OK"))
    case "/_/ready": .answered((isDraining ? Readiness(problems: [.draining]) : surroundings.readiness()).answer)
    case "/_/state": keyRefusal(of: head).map(Route.answered) ?? .state
    case "/metrics": keyRefusal(of: head).map(Route.answered) ?? .metrics
    default: nil
    }
  }

  /// The route of a request to a page for people; `nil` if it is none.
  func page(_ head: HTTP1Request) -> Route? {
    guard let pages = surroundings.pages else { return nil }
    if head.path == "/", FrontPage.isForBrowser(head) {
      return .answered(HTTP1Answer(status: 303, headers: [("Location", pages.home), ("Vary", "Accept")]))
    }
    return switch pages.route(head, PageAccess(keys: keys)) {
    case .answered(let answer): .answered(answer)
    case .page: .page
    case .stream(let head): isDraining ? .answered(.stopping) : .stream(head)
    case nil: nil
    }
  }

  /// Lets the pages send what comes next to a client.
  func serve(_ stream: any AnswerStream, for head: HTTP1Request) {
    surroundings.pages?.serve(stream, for: head, PageAccess(keys: keys))
  }

  /// Lists the functions, only for callers who may call them.
  private func frontPage(_ head: HTTP1Request) -> HTTP1Answer {
    do {
      try keys.check(head)
    } catch {
      if case .tooMany = error { return error.answer }
      return FrontPage(functions: [], described: nil).answer(to: head)
    }
    let described = if case .match = routes.find("GET", FrontPage.description) { true } else { false }
    return FrontPage(functions: functions.keys.sorted(), described: described ? FrontPage.description : nil)
      .answer(to: head)
  }

  /// The refusal of a request without the runner's key; `nil` for one that may go on.
  func keyRefusal(of head: HTTP1Request) -> HTTP1Answer? {
    do { try keys.check(head) } catch { return error.answer }
    return nil
  }
}

extension Gateway {
  /// The things that it reports on and writes to.
  package struct Surroundings {
    /// Whether queued events and schedules run, too.
    var readiness: @RunnerLoop () -> Readiness
    var report: @RunnerLoop () -> RunnerReport
    /// The time of a virtual clock.
    var virtualTime: @RunnerLoop () -> String?
    var figures: RunnerFigures
    var metrics: MetricsPage
    /// `nil` if every caller waits for the result.
    var queue: CallQueue?
    var history: CallHistory?
    var log: Log
    /// `nil` if there are no pages for people.
    var pages: (any PageServer)?
    /// `nil` unless traces are wanted.
    var traces: Traces?

    package init(
      readiness: @escaping @RunnerLoop () -> Readiness, report: @escaping @RunnerLoop () -> RunnerReport,
      virtualTime: @escaping @RunnerLoop () -> String?, figures: RunnerFigures, metrics: MetricsPage, queue: CallQueue?,
      history: CallHistory?, log: Log, pages: (any PageServer)? = nil, traces: Traces? = nil
    ) {
      (self.readiness, self.report, self.virtualTime) = (readiness, report, virtualTime)
      (self.figures, self.metrics, self.queue) = (figures, metrics, queue)
      (self.history, self.log, self.pages, self.traces) = (history, log, pages, traces)
    }
  }
}

/// How many calls of one function may be open.
package enum CallLimit: Sendable {
  /// Its processes' calls, and this many more that wait.
  case waiting(Int)
  /// As many calls as its `"concurrency"`: none waits.
  case concurrency

  @RunnerLoop
  func hasRoom(in pool: FunctionPool) -> Bool {
    switch self {
    case .waiting(let count): pool.load < count + pool.capacity
    case .concurrency: pool.load < pool.entry.concurrency
    }
  }
}
