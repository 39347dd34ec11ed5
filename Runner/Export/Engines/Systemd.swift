// One machine: the runner as a unit, behind nginx.
extension Deployment {
  var systemd: [ExportedFile] {
    [
      ExportedFile("\(name).service", serviceUnit), ExportedFile("\(name)-migrate.service", migrationUnit),
      ExportedFile("environment", environmentFile), ExportedFile("nginx.conf", nginx),
    ]
  }

  private var serviceUnit: String {
    """
    # Written by "runner export systemd": export it again rather than change it; "systemctl edit \(name)" adds to it.
    #
    #   /opt/\(name)          the bundle: functions.json, bin/ and what they name
    #   /etc/\(name)/environment    settings that are no secrets
    #   /etc/\(name)/secrets/NAME   secrets, a file each, which only root has to be able to read
    #
    # The runner fires the schedules itself, in their time zones, and catches up after a pause:
    \((scheduleLines.isEmpty ? ["(none)"] : scheduleLines).commented("# "))
    [Unit]
    Description=Push Functions: the runner of \(name)
    Wants=network-online.target
    After=network-online.target postgresql.service

    [Service]
    \(command("serve --drain \(Self.drainSeconds) --state-dir /var/lib/\(name)"))
    # READY=1 comes when calls are answered and events taken; WATCHDOG=1 from the thread that does all that.
    Type=notify
    NotifyAccess=main
    WatchdogSec=60
    # It waits a minute for a database that starts.
    TimeoutStartSec=180
    # \(Self.drainSeconds) s in which balancers see that it ends, 10 for what runs, 5 for answers, and some for processes.
    # An event that is not done by then runs again after the restart.
    TimeoutStopSec=\(Self.stopSeconds)
    KillMode=mixed
    Restart=on-failure
    RestartSec=2
    # What only a person can repair: wrong options, functions.json, the database's tables.
    RestartPreventExitStatus=64 65 66 78
    StateDirectory=\(name)
    StateDirectoryMode=0700
    LimitNOFILE=65536
    \(hardening)

    [Install]
    WantedBy=multi-user.target
    """
  }

  private var migrationUnit: String {
    """
    # Written by "runner export systemd": an upgrade is
    #   systemctl start \(name)-migrate && systemctl restart \(name)
    # "runner migrate --check" says before whether the runner may go on meanwhile (75) or has to stop first (78).
    [Unit]
    Description=Push Functions: tables and triggers of \(name)
    Wants=network-online.target
    After=network-online.target postgresql.service

    [Service]
    Type=oneshot
    \(command("migrate"))
    TimeoutStartSec=1h
    \(hardening)
    """
  }

  private func command(_ words: String) -> String {
    """
    ExecStart=/opt/\(name)/bin/runner \(words) --project /opt/\(name)
    WorkingDirectory=/opt/\(name)
    EnvironmentFile=-/etc/\(name)/environment
    # The runner reads a variable that is not set from the credential of its name.
    \(requiredVariables.map { "LoadCredential=\($0):/etc/\(name)/secrets/\($0)" }.joined(separator: "\n"))
    # Remove the mark in front of those that you have; a missing file would keep the unit from starting.
    \(optionalVariables.flatMap(credential).joined(separator: "\n"))
    """
  }

  /// A variable with a path gets the place of the credential.
  private func credential(_ variable: String) -> [String] {
    let line = "#LoadCredential=\(variable):/etc/\(name)/secrets/\(variable)"
    return variable.hasSuffix("_PATH") ? [line, "#Environment=\(variable)=%d/\(variable)"] : [line]
  }

  /// The settings of systemd.exec(5) that take rights away; `@resources` stays allowed, because the runner raises its own limit of descriptors.
  private var hardening: String {
    """
    # It needs the network, its own folder and nothing else.
    DynamicUser=yes
    UMask=0077
    NoNewPrivileges=yes
    CapabilityBoundingSet=
    AmbientCapabilities=
    ProtectSystem=strict
    ProtectHome=yes
    PrivateTmp=yes
    PrivateDevices=yes
    PrivateUsers=yes
    ProtectProc=invisible
    ProcSubset=pid
    ProtectKernelTunables=yes
    ProtectKernelModules=yes
    ProtectKernelLogs=yes
    ProtectControlGroups=yes
    ProtectClock=yes
    ProtectHostname=yes
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    RemoveIPC=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged
    SystemCallErrorNumber=EPERM
    # A picture of its memory would have the secrets in it.
    LimitCORE=0
    """
  }

  private var environmentFile: String {
    """
    # Written by "runner export systemd", for /etc/\(name)/environment. Secrets do not belong here, but into
    # /etc/\(name)/secrets.
    #
    # nginx sends calls to 127.0.0.1:\(Self.port).
    RUNNER_HOST=127.0.0.1
    RUNNER_PORT=\(Self.port)
    # nginx tells the true address of each client.
    RUNNER_TRUSTED_PROXIES=127.0.0.1
    # What needs RUNNER_KEY is refused through nginx until the secrets have one.
    # debug, info, warning or error
    #LOG_LEVEL=info
    # Traces, over OTLP/HTTP.
    #OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
    # Web pages of these origins may call the API.
    #RUNNER_CORS_ORIGINS=https://app.example.com
    """
  }
}
