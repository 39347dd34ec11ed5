import Testing

@testable import Console
@testable import Postgres

/// The page that stands in the place of another, and whether that comes back by itself.
struct ErrorPageTests {
  private static func error(_ code: PostgresError.Code, ofNetwork: Bool = false) -> PostgresError {
    var error = PostgresError(code, "words")
    if case .sqlState(let state) = code { error.sqlState = state }
    error.isOfNetwork = ofNetwork
    return error
  }

  private static func page(_ error: any Error, isAct: Bool = false) -> (page: Page, text: String) {
    let page = ErrorPage(error, place: NavigationEntry("dead", "Dead letters", key: "d"), isAct: isAct, live: true).page
    return (page, page.body.source)
  }

  @Test(arguments: [
    Self.error(.connection), Self.error(.timedOut, ofNetwork: true), Self.error(.sqlState("57P03")),
    Self.error(.sqlState("53300")),
  ])
  func onlyADatabaseThatIsAwayComesBack(_ error: PostgresError) {
    let (page, text) = Self.page(error)
    #expect(page.status == 503 && page.title == "The database does not answer" && page.live == [.events])
    #expect(text.contains("comes back by itself"))
    let act = Self.page(error, isAct: true)
    #expect(act.page.status == 503 && act.page.live.isEmpty && act.text.contains("Nothing was done."))
  }

  @Test func whatTakesTooLongIsNotAskedAgain() {
    let (page, text) = Self.page(Self.error(.timedOut))
    #expect(page.status == 504 && page.title == "This took too long" && page.live.isEmpty)
    #expect(text.contains("narrow the filter"))
    #expect(Self.page(Self.error(.timedOut), isAct: true).text.contains("Nothing was done."))
  }

  @Test(arguments: [
    Self.error(.sqlState("42P01")), Self.error(.sqlState("22P02")), Self.error(.decoding), Self.error(.usage),
  ])
  func aWrongQuestionIsNotAskedAgain(_ error: PostgresError) {
    let (page, text) = Self.page(error)
    #expect(page.status == 500 && page.title == "That cannot be shown" && page.live.isEmpty)
    #expect(text.contains("\(error)"))
    #expect(Self.page(error, isAct: true).page.title == "That was not done")
  }
}
