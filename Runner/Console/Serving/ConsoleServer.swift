import FoundationEssentials
import FunctionKit
package import Gateway
package import HTTP1
package import Lifecycle
package import Manifest
import Metrics
import Postgres
package import System

/// The console: pages about what the runner and its functions do.
///
/// Pages are made off the runner's loop, from a connection of their own that only reads. What pages share, and what may
/// take long, has another one: while it is read, a page that has got the last answer does not wait for it after all.
@RunnerLoop
package final class ConsoleServer: PageServer {
  /// The most pages that are made at once.
  private static let most = 32
  /// The text before the first path of the console, which `Address.root` ends with a slash.
  private static let base = String(Address.root.dropLast())

  private let server: Server
  private let mode: ConsoleMode
  private let makeSources: @Sendable (Manifest) -> [any PageSource]
  private let database: Connection
  /// The connection for what is read once for all pages.
  private let sharedDatabase: Connection
  private let runs: CommandRuns
  private let kept: LastAnswers
  private let sessions: Sessions
  private let streams = ChangeStreams()
  private let shared = SharedAnswers()
  private let pulse: Pulse
  private var working = 0
  private var isDraining = false

  package nonisolated var home: String { Address.root }

  /// - Parameter sources: makes the parts of the console that a bundle has.
  package init(
    _ server: Server, mode: ConsoleMode, database url: String,
    sources: @escaping @Sendable (Manifest) -> [any PageSource]
  ) {
    (self.server, self.mode, makeSources) = (server, mode, sources)
    database = Connection(
      url: url, applicationName: "runner console", connectTimeout: .seconds(3), statementTimeout: .seconds(5),
      // No page's plan is worth compiling, however many rows it might have had to read, nor a process of its own. And where
      // an index finds rows, statistics of a queue that was empty do not make a plan read a full one instead.
      parameters: [
        (name: "default_transaction_read_only", value: "on"), (name: "jit", value: "off"),
        (name: "max_parallel_workers_per_gather", value: "0"), (name: "enable_seqscan", value: "off"),
      ])
    sharedDatabase = database.another(statementTimeout: .seconds(5))
    sessions = Sessions(SignOuts(database))
    runs = CommandRuns(server.project, marks: server.environment.base, log: server.log)
    kept = LastAnswers { [runs] in await runs.start($0, within: $0.timeLimit) }
    pulse = Pulse(
      server.figures, database: sharedDatabase,
      functions: { server.project.manifest.functions.map(\.name) }, report: { server.report() },
      changes: { server.changes })
    streams.onTell = { [shared] in shared.forget() }
    pulse.onChange = { [streams] in streams.tell($0) }
    pulse.isWatched = { [streams] in !streams.isEmpty }
    kept.onChange = { [streams] in streams.tell([.events]) }
    kept.isWatched = pulse.isWatched
    kept.isBusy = { [pulse] in pulse.isBusy }
    pulse.start()
    streams.start()
  }

  package func route(_ head: HTTP1Request, _ access: PageAccess) -> PageRoute? {
    guard head.path == Self.base || head.path.hasPrefix(Address.root) else { return nil }
    guard head.path != Self.base else { return .answered(.redirect(Address.root).secured()) }
    guard let path = PageRequest.segments(head.path.dropFirst(Address.root.count)) else {
      return .answered(HTTP1Answer.failure(404, "NOT_FOUND", "There is nothing at that path.").secured())
    }
    let isPost = head.method == "POST"
    guard isPost || head.method == "GET" || head.method == "HEAD" else {
      return .answered(HTTP1Answer.methods("GET, HEAD, POST", for: head.method).secured())
    }
    if path.first == "assets", path.count == 3, !isPost {
      let answer = Assets.answer(path[2], in: path[1]) ?? .failure(404, "NOT_FOUND", "There is no such file.")
      return .answered(answer.secured())
    }
    if isPost, path == ["sign-in"] { return .page }
    if let refusal = sessions.refusal(of: head, access) {
      return .answered(signIn(refusal, next: isPost ? Address.root : Self.target(of: head)))
    }
    if path == ["changes"] {
      guard head.method == "GET" else { return .answered(HTTP1Answer.methods("GET", for: head.method).secured()) }
      return streams.isFull ? .answered(ChangeStreams.refusal.secured()) : .stream(streams.head.secured())
    }
    return .page
  }

  package func serve(_ stream: any AnswerStream, for head: HTTP1Request, _ access: PageAccess) {
    stream.onEnd = {}
    BackgroundTask.start("session") { [self] in
      let session = try? await sessions.session(of: head, access)
      // The client may have gone meanwhile.
      guard stream.onEnd != nil else { return }
      guard session != nil else { return streams.refuse(stream) }
      streams.add(stream)
      pulse.follow()
    }
  }

  package func drain() {
    isDraining = true
    streams.end()
    pulse.end()
    runs.end()
  }

  package func answer(
    _ request: HTTP1Request, _ access: PageAccess, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) {
    guard let path = PageRequest.segments(request.path.dropFirst(Address.root.count)) else {
      return answer(HTTP1Answer.failure(404, "NOT_FOUND", "There is nothing at that path.").secured())
    }
    let asked = PageRequest(
      path: path, query: PageRequest.pairs((request.query ?? "").utf8),
      form: request.method == "POST" ? PageRequest.pairs(request.body) : nil)
    let mistake = asked.hasNull ? FunctionError(.usage, "A value has U+0000: nothing here can have it.") : nil
    if asked.form != nil, path == ["sign-in"] {
      return answer(mistake.map { signIn($0, next: Address.root) } ?? signedIn(asked, request, access))
    }
    if asked.form != nil, let refusal = refusal(of: request) { return answer(refusal.secured()) }
    BackgroundTask.start("session") { [self] in
      let session: String
      do { session = try await sessions.session(of: request, access) } catch {
        return answer(signIn(error, next: asked.form == nil ? Self.target(of: request) : Address.root))
      }
      var refused: (any Error)? = mistake
      if refused == nil, asked.form != nil, !sessions.isToken(asked.entered("token") ?? "", of: session) {
        refused = FunctionError(
          .notPermitted,
          "The page is older than the runner: go back, load it again, and repeat what you wanted to do. Nothing was done."
        )
      } else if refused == nil, asked.form != nil, path == ["sign-out"] {
        do {
          let field = try await sessions.signOut(request, access)
          return answer(HTTP1Answer.redirect(Address.root).with("Set-Cookie", field).secured())
        } catch { refused = error }
      }
      make(asked, of: session, refused: refused, for: request, answer)
    }
  }

  /// Makes a page for somebody who may see it.
  ///
  /// - Parameter refused: why another one is made.
  private func make(
    _ asked: PageRequest, of session: String, refused: (any Error)?, for request: HTTP1Request,
    _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) {
    guard working < Self.most else {
      return answer(
        HTTP1Answer.failure(503, "BUSY", "Too many pages are being made.").with("Retry-After", "1").secured())
    }
    let give: @RunnerLoop (HTTP1Answer) -> Void
    // An open page reads itself again because of a change that was told (live.js).
    if request.method == "GET", request.headers["x-console"] == "change" {
      let (began, question) = (ContinuousClock.now, SharedAnswers.Question(Self.target(of: request), session: session))
      guard let making = shared.answer(question, answer) else { return }
      give = { [streams] made in
        making.finish(made)
        streams.note(.now - began)
      }
    } else {
      // It may show more than what was told, or have changed something.
      give = { [shared] made in
        shared.forget()
        answer(made)
      }
    }
    var asked = asked
    asked.token = sessions.token(of: session)
    working += 1
    BackgroundTask.start("page") { [self, asked] in
      let sources = makeSources(server.project.manifest)
      let place = asked.path.first ?? ""
      if sources.contains(where: { $0.usesCounts && $0.place.path == place }) { await pulse.refresh() }
      let made = await PageMaker(
        sources: sources, desk: desk(sources), isSignedIn: !session.isEmpty
      ).answer(asked, refused: refused)
      working -= 1
      give(made.secured())
    }
  }

  private func desk(_ sources: [any PageSource]) -> Desk {
    Desk(
      project: server.project, mode: mode, report: server.report(), pulse: pulse.reading, isBusy: pulse.isBusy,
      virtualTime: server.virtualTime, database: database, sharedDatabase: sharedDatabase, url: server.url,
      environment: server.environment, sources: sources, runs: runs, kept: kept)
  }

  /// Why a request that would change something is refused, although its session and token may be good.
  ///
  /// The gateway has refused foreign hosts and origins, and a browser says where a request comes from.
  private func refusal(of request: HTTP1Request) -> HTTP1Answer? {
    if let site = request.headers["sec-fetch-site"], site != "same-origin" {
      return .failure(403, "CROSS_SITE", "Only the console's own pages may do that.")
    }
    guard request.headers["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
      return .failure(415, "UNSUPPORTED_MEDIA_TYPE", "A form is sent as application/x-www-form-urlencoded.")
    }
    return nil
  }

  /// The form that asks for the key, because of a refusal.
  private func signIn(_ refusal: any Error, next: String, problem: String? = nil) -> HTTP1Answer {
    // There is no key that could be entered.
    if case KeyRefusal.notFromHere = refusal { return KeyRefusal.notFromHere.answer.secured() }
    let (status, wait, sentence): (Int, Int?, String?) =
      switch refusal {
      case KeyRefusal.missingOrWrong: (401, nil, problem)
      case let mistake as FunctionError: (400, nil, mistake.message)
      case KeyRefusal.tooMany(let seconds): (429, seconds, "Too many wrong keys: try again in \(seconds) s.")
      default: (503, 10, "The database does not answer, and it knows who has signed out: try again in a moment.")
      }
    let answer = HTTP1Answer.html(status, SignInPage(next: next, problem: sentence).html).secured()
    return wait.map { answer.with("Retry-After", "\($0)") } ?? answer
  }

  private func signedIn(_ asked: PageRequest, _ head: HTTP1Request, _ access: PageAccess) -> HTTP1Answer {
    let wanted = asked.entered("next") ?? ""
    // Only a page of the console is led to, and no other host by two slashes.
    let next = wanted.hasPrefix(Address.root) && !wanted.contains("\\") ? wanted : Address.root
    guard access.needsKey else { return HTTP1Answer.redirect(Address.root).secured() }
    if let site = head.headers["sec-fetch-site"], site != "same-origin" {
      return HTTP1Answer.failure(403, "CROSS_SITE", "Only the console's own pages may do that.").secured()
    }
    do { try access.check(entered: asked.entered("key") ?? "", by: head) } catch {
      return signIn(error, next: next, problem: "That is not the runner's key.")
    }
    let target = next.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? next : Address.root
    return HTTP1Answer.redirect(target).with("Set-Cookie", sessions.signIn(head, access)).secured()
  }

  private static func target(of head: HTTP1Request) -> String {
    head.path + (head.query.map { "?\($0)" } ?? "")
  }
}
