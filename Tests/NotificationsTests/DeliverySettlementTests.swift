import FoundationEssentials
import Notifications
import Testing

struct DeliverySettlementTests {
  let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func anAcceptedPushIsDone() {
    let settlement = settle(.accepted)

    #expect(settlement.state == .accepted && settlement.log == .sent)
    #expect(settlement.device == .accepted && settlement.usesAttempt)
  }

  @Test func aGoneDeviceIsJudgedByTheAnswersOwnTime() {
    #expect(settle(.deviceGone(at: now - 60)).device == .deactivated(ifRegisteredBy: now - 60))
    #expect(settle(.deviceGone(at: nil)).device == .none)
    #expect(settle(.deviceGone(at: nil)).state == .rejected)
  }

  @Test func aSuspectDeviceIsTriedInTheOtherEnvironmentFirst() {
    let settlement = settle(.deviceSuspect)

    #expect(settlement.state == .queued && settlement.notBefore == nil && settlement.device == .none)
  }

  @Test func aSuspectDeviceGoesWhenBothEnvironmentsHaveRefusedIt() {
    let push = push { $0.probe = .production }

    #expect(settle(.deviceSuspect, push).device == .deactivated(ifRegisteredBy: push.device.registeredAt))
  }

  @Test func aSuspectDeviceThatOnceWorkedWhereItIsGoesAtOnce() {
    let push = push {
      $0.device.environment = .production
      $0.device.lastAcceptedAt = now - 10
    }

    #expect(settle(.deviceSuspect, push).device == .deactivated(ifRegisteredBy: push.device.registeredAt))
  }

  @Test(arguments: [PushVerdict.holdApp, .holdTeam, .renewToken, .notSent(pause: nil), .notSent(pause: .seconds(9))])
  func whatIsNotTheDeliverysFaultCostsNoAttemptAndTouchesNoDevice(verdict: PushVerdict) {
    let settlement = settle(verdict)

    #expect(settlement.state == .queued && !settlement.usesAttempt && settlement.device == .none)
  }

  @Test func aMistakeInTheConfigurationDuringAProbeTouchesNoDevice() {
    let settlement = settle(.holdApp, push { $0.probe = .production })

    #expect(settlement.state == .rejected && settlement.device == .none)
  }

  @Test func aServerErrorWaitsAQuarterOfAnHour() {
    #expect(settle(.retryLater(atLeast: nil)).notBefore == now + 900)
    #expect(settle(.retryLater(atLeast: .seconds(3_000))).notBefore == now + 3_000)
  }

  @Test(
    arguments: [(1_000, .queued, 900), (900, .expired, nil), (1_081, .queued, 1_080)]
      as [(Double, DeliveryState, Double?)])
  func theLastAttemptBeforeTheEndIsMadeWithoutJitterIfNeedBe(left: Double, state: DeliveryState, pause: Double?) {
    let settlement = settle(.retryLater(atLeast: nil), push { $0.expiresAt = now + left }, jitter: 1)

    #expect(settlement.state == state && settlement.notBefore == pause.map { now + $0 })
  }

  @Test func aThrottledDeviceWaitsAsAWhole() {
    let settlement = settle(.holdDevice(atLeast: nil), push { $0.device.throttles = 1 })

    #expect(settlement.notBefore == now + 120 && settlement.device == .held(until: now + 120))
    #expect(settle(.holdDevice(atLeast: .seconds(500))).device == .held(until: now + 500))
  }

  @Test(arguments: [
    (PushVerdict.retryLater(atLeast: nil), DeliveryState.expired, PushLogStatus.failed),
    (.holdDevice(atLeast: nil), .expired, .failed),
    (.unknown, .unknown, .unknown),
  ])
  func nothingIsTriedAgainAfterItsEnd(verdict: PushVerdict, state: DeliveryState, log: PushLogStatus) {
    let settlement = settle(verdict, push { $0.expiresAt = now + 1 })

    #expect(settlement.state == state && settlement.log == log && settlement.notBefore == nil)
  }

  @Test func aPushWithoutAnAnswerIsTriedAgainSoon() {
    let settlement = settle(.unknown, push { $0.attempts = 2 })

    #expect(settlement.state == .queued && settlement.log == .unknown)
    #expect(settlement.notBefore == now + 4 && settlement.usesAttempt)
  }

  @Test func whatFailedOnAFreshConnectionTooTakesTheOtherCourse() {
    #expect(settle(.retryAtOnce(otherwise: .retryLater(atLeast: nil))).notBefore == now + 900)
    #expect(settle(.retryAtOnce(otherwise: .notSent(pause: nil))).log == nil)
  }

  @Test(arguments: [PushVerdict.rejected, .payloadTooLarge])
  func aWrongPushFailsForGood(verdict: PushVerdict) {
    let settlement = settle(verdict)

    #expect(settlement.state == .rejected && settlement.log == .failed && settlement.device == .none)
  }

  private func push(_ change: (inout QueuedPush) -> Void = { _ in }) -> QueuedPush {
    var push = QueuedPush(
      id: UUID(), device: QueuedPush.Device(id: UUID(), token: "ab", registeredAt: now - 100), payload: "{}",
      collapseID: "c", expiresAt: now + 86_400)
    change(&push)
    return push
  }

  private func settle(_ verdict: PushVerdict, _ push: QueuedPush? = nil, jitter: Double = 0) -> DeliverySettlement {
    let report = PushReport(verdict: verdict, environment: .sandbox, topic: "com.example.app")
    return DeliverySettlement(push ?? self.push(), report, now: now, jitter: jitter)
  }
}
