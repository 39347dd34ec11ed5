package import Manifest

/// The parts of the console, in the order of the navigation.
package enum StandardPages {
  package static func of(_ manifest: Manifest) -> [any PageSource] {
    [NowPages(), EventPages(), FindPages(), DeadPages(), FunctionsPages(), SchedulesPages(), ClockPages()]
  }
}
