import FunctionKit
import HTTP1

// What the gateway answers itself: its own addresses, and pages for people.
extension Gateway {
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

  /// What a request to a page for people asks for; `nil` if it is none.
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
