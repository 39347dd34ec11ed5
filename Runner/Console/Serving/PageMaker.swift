import FunctionKit
import Gateway
import HTTP1
import Postgres

/// Finds the source of a page, and puts the frame around what it makes.
struct PageMaker: Sendable {
  let sources: [any PageSource]
  let desk: Desk
  let isSignedIn: Bool

  /// Runs on no thread of the runner's.
  ///
  /// - Parameter refused: why the request is not answered with what it asks for.
  @concurrent
  func answer(_ request: PageRequest, refused: (any Error)? = nil) async -> HTTP1Answer {
    let place = request.path.first ?? ""
    let source = sources.first { $0.place.path == place }
    do {
      if let refused { throw refused }
      guard let source else { throw NoSuchPage() }
      let format = try request.format()
      switch try await source.answer(request, desk) {
      case .page(let page):
        if let format { return try format.answer(page, of: request) }
        return .html(page.status, frame(request).document(page))
      case .redirect(let address): return .redirect(address.with(SharedFormat.field, format?.rawValue).text)
      case .file(let name, let type, let bytes):
        return HTTP1Answer(
          status: 200,
          headers: [
            ("Content-Type", type), ("Content-Disposition", "attachment; filename=\"\(name.asFileName)\""),
          ], body: bytes)
      }
    } catch {
      let problem = ErrorPage(error, place: source?.place, isAct: request.form != nil, live: source != nil)
      // A program gets no page.
      guard request.form != nil || request[SharedFormat.field] == nil else { return problem.document }
      let page = problem.page
      let answer = HTTP1Answer.html(page.status, frame(request).document(page))
      // The scripts of the page are faster where they run.
      return page.live.isEmpty ? answer : answer.with("Refresh", "10")
    }
  }

  private func frame(_ request: PageRequest) -> Frame {
    var frame = Frame(places: sources.filter(\.isListed).map(\.place), bundle: desk.manifest.title)
    (frame.mode, frame.isSignedIn, frame.token) = (desk.mode, isSignedIn, request.token)
    frame.clock = desk.virtualTime
    frame.view = request.view
    return frame
  }
}

/// Says why there is no page, or why something was not done.
struct ErrorPage {
  private let place: NavigationEntry?
  private let isAct: Bool
  private let (status, title, sentence): (Int, String, String)
  private let live: Bool

  init(_ error: any Error, place: NavigationEntry?, isAct: Bool, live: Bool) {
    (self.place, self.isAct) = (place, isAct)
    switch error {
    case is NoSuchPage:
      (status, title, sentence) = (404, "There is no such page", "The address is wrong, or what it named is gone.")
    case let error as PartlyDone: (status, title, sentence) = (409, "Only a part was done", error.sentence)
    case let error as PostgresError where error.code == .timedOut && !error.isOfNetwork:
      (status, title) = (504, "This took too long")
      sentence = "The database stopped looking: narrow the filter\(isAct ? ". Nothing was done." : ".")"
    case let error as PostgresError where error.isOfServer:
      (status, title) = (503, "The database does not answer")
      sentence =
        isAct ? "\(error). Nothing was done." : "\(error). The page comes back by itself when the database does."
    case let error as FunctionError:
      sentence = error.message
      switch error.code {
      case .noInput: (status, title) = (404, "There is no such thing")
      case .notPermitted: (status, title) = (403, isAct ? "That was not done" : "That is not allowed")
      case .usage, .invalidEvent: (status, title) = (400, isAct ? "That was not done" : "That cannot be shown")
      case .unavailable, .databaseAway: (status, title) = (503, "That is not possible now")
      default: (status, title) = (isAct ? 409 : 500, isAct ? "That was not done" : "That cannot be shown")
      }
    default:
      (status, title, sentence) = (500, isAct ? "That was not done" : "That cannot be shown", "\(error)")
    }
    self.live = live && status == 503
  }

  /// The same for a program.
  var document: HTTP1Answer {
    let code =
      switch status {
      case 400: "USAGE"
      case 403: "NOT_PERMITTED"
      case 404: "NOT_FOUND"
      case 503: "UNAVAILABLE"
      case 504: "TIMED_OUT"
      default: "FAILED"
      }
    return .failure(status, code, "\(title): \(sentence)")
  }

  var page: Page {
    var page = Page(title, in: place?.path ?? "-", live: live && !isAct ? [.events] : []) {
      tag(.div, .id("problem"), .class("callout bad"), .role("alert")) { tag(.p) { name(sentence, longest: 2_000) } }
      if let place {
        tag(.p) { tag(.a, .class("button"), .href(place.address)) { "To \(place.title)" } }
      } else {
        tag(.p) { tag(.a, .class("button"), .href(Address())) { "To the first page" } }
      }
    }
    page.status = status
    return page
  }
}

/// Something was done before something failed.
struct PartlyDone: Error {
  /// The sentence that says what was done, and why the rest was not.
  var sentence: String
}
