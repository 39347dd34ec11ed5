extension House {
  /// The four parts of the house and their modules; the functions stand in `push`.
  ///
  /// A part uses its own modules and the drivers, and of other parts `others`. Some of the modules are of earlier commits,
  /// for those who ask for their figures.
  static let parts: [(name: String, modules: Set<String>, others: Set<String>)] = [
    (
      "drivers",
      [
        "EventLoop", "Formats", "HTTP1", "HTTP2", "HTTPClient", "Locales", "Platform", "Postgres", "Signing",
        "Terminal", "TimeZones",
      ], []
    ),
    (
      "runner",
      [
        "CLI", "Capture", "Console", "Cron", "Documents", "Export", "FunctionKit", "Gateway", "Hosting", "Inspection",
        "Lifecycle", "LocalPostgres", "Logging", "Manifest", "Manual", "Metrics", "Panels", "Queue", "Runner",
        "Schedules", "System", "Targets", "Traces", "Tracing", "Workers",
      ], []
    ),
    (
      "push",
      [
        "API", "AnalysisLive", "DeliveryLive", "Notifications", "PersonLive", "Push", "PushLive", "PushPayload",
        "Schema", "StoreLive",
      ], ["CLI", "Documents", "FunctionKit", "Tracing"]
    ),
    ("emulator", ["Demo", "Emulation", "PushEmulator"], ["CLI", "FunctionKit", "System"]),
  ]
}
