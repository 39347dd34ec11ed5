import FunctionKit
import HTTP1

// What the gateway answers itself: its own addresses, and pages for people.
extension Gateway {
  func own(_ head: HTTP1Request) -> Route? {
    switch head.path {
    case "/": .answered(frontPage(head).answer(to: head))
    case "/_/health": .answered(.text(200, "OK"))
    case "/_/ready": .answered((isDraining ? Readiness(problems: [.draining]) : surroundings.readiness()).answer)
    case "/_/state": isOpen(to: head) ? .state : .answered(unauthorized(head))
    case "/metrics": isOpen(to: head) ? .metrics : .answered(unauthorized(head))
    default: nil
    }
  }

  /// What a request to a page for people asks for; `nil` if it is none.
  func page(_ head: HTTP1Request) -> Route? {
    guard let pages = surroundings.pages else { return nil }
    if head.path == "/", FrontPage.isForBrowser(head) {
      return .answered(HTTP1Answer(status: 303, headers: [("Location", pages.home), ("Vary", "Accept")]))
    }
    return switch pages.route(head, PageAccess(key: access.key)) {
    case .answered(let answer): .answered(answer)
    case .page: .page
    case .stream(let head): isDraining ? .answered(.stopping) : .stream(head)
    case nil: nil
    }
  }

  /// Lets the pages send what comes next to a client.
  func serve(_ stream: any AnswerStream) { surroundings.pages?.serve(stream) }

  /// Lists the functions, only for callers who may call them.
  private func frontPage(_ head: HTTP1Request) -> FrontPage {
    guard isOpen(to: head) else { return FrontPage(functions: [], described: nil) }
    let described = if case .match = routes.find("GET", FrontPage.description) { true } else { false }
    return FrontPage(functions: functions.keys.sorted(), described: described ? FrontPage.description : nil)
  }

  func isOpen(to head: HTTP1Request) -> Bool { access.key?.isShown(by: head) ?? true }
}
