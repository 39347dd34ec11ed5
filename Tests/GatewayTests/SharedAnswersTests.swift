import HTTP1
import System
import Testing

@testable import Gateway

@Suite @RunnerLoop
struct SharedAnswersTests {
  private let shared = SharedAnswers()
  private let first = SharedAnswers.Question("/_/console/?q=a", session: "one")

  private final class Given {
    var bodies: [String] = []

    func take(_ answer: HTTP1Answer) { bodies.append(String(decoding: answer.body, as: UTF8.self)) }
  }

  private func answer(_ text: String) -> HTTP1Answer { HTTP1Answer(status: 200, headers: [], body: Array(text.utf8)) }

  @Test func thoseWhoAskTheSameGetOneAnswer() throws {
    let given = Given()
    let making = try #require(shared.answer(first) { given.take($0) })

    #expect(shared.answer(first) { given.take($0) } == nil)
    #expect(given.bodies == [])
    making.finish(answer("made"))
    #expect(shared.answer(first) { given.take($0) } == nil)

    #expect(given.bodies == ["made", "made", "made"])
  }

  @Test(arguments: [("/_/console/?q=b", "one"), ("/_/console/?q=a", "two")])
  func anotherAddressOrPersonGetsAnother(_ target: String, _ session: String) {
    let making = shared.answer(first) { _ in }
    making?.finish(answer("made"))

    #expect(shared.answer(.init(target, session: session)) { _ in } != nil)
  }

  @Test func afterAChangeItIsMadeAgainAndNobodyIsForgotten() throws {
    let (early, late) = (Given(), Given())
    let old = try #require(shared.answer(first) { early.take($0) })
    #expect(shared.answer(first) { early.take($0) } == nil)

    shared.forget()
    let new = try #require(shared.answer(first) { late.take($0) })
    new.finish(answer("new"))
    old.finish(answer("old"))

    #expect(early.bodies == ["old", "old"])
    #expect(late.bodies == ["new"])
  }
}
