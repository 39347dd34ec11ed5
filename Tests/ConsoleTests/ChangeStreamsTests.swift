import System
import Testing

@testable import Console

@Suite @RunnerLoop
struct ChangeStreamsTests {
  @Test func pagesThatTakeLongAreToldLessOften() {
    let streams = ChangeStreams()
    let quiet = streams.next

    streams.note(.milliseconds(5))
    #expect(streams.next == quiet)
    streams.note(.milliseconds(45))
    #expect(streams.next - quiet == .milliseconds(400))
    streams.note(.seconds(60))
    #expect(streams.next - quiet == .milliseconds(4_900))
  }
}
