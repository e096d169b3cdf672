using System;
using System.IO;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Debugging;
using Serilog.Events;
using Serilog.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Logging as the section <c>Serilog</c> of the configuration says.</summary>
internal static class ServerLog
{
    [ThreadStatic]
    private static string? _complaint;

    /// <summary>Has the application log as its configuration says.</summary>
    /// <returns>The log.</returns>
    internal static Serilog.Core.Logger Configure(ILoggingBuilder logging, IConfiguration configuration)
    {
        Serilog.Core.Logger logger = CreateLogger(configuration);
        logging.ClearProviders();
        logging.AddSerilog(logger, dispose: true);
        // The framework makes an activity and a scope for each request as soon as this category is on for anything.
        logging.AddFilter<SerilogLoggerProvider>("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);
        return logger;
    }

    private static Serilog.Core.Logger CreateLogger(IConfiguration configuration)
    {
        try
        {
            return Create(configuration);
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException or FormatException or IOException)
        {
            string reason = e.Message.ReplaceLineEndings(" ");
            throw new SettingsException(
                $"The settings 'Serilog:…' can't be used: {reason} Levels are Verbose, Debug, Information, Warning, Error and Fatal.");
        }
    }

    // What it can't use, a sink that there is not for example, the logger leaves out, and tells nobody but its own log.
    private static Serilog.Core.Logger Create(IConfiguration configuration)
    {
        _complaint = null;
        SelfLog.Enable(static complaint => _complaint ??= complaint);
        LogFormat format = Setting.Choice(configuration, "Server:LogFormat", LogFormat.Text);
        LoggerConfiguration? log = ConsoleLog.TryRead(configuration, format);
        if (log == null && format != LogFormat.Text)
        {
            throw new SettingsException(
                "The setting 'Server:LogFormat' goes with the console's log alone, and the section 'Serilog' has more than that; give its "
                + "sinks a formatter there.");
        }
        log ??= new LoggerConfiguration().ReadFrom.Configuration(configuration);
        Serilog.Core.Logger logger = log.Filter.ByExcluding(IsStartFailure).CreateLogger();
        if (_complaint is not { } reason)
            return logger;
        logger.Dispose();
        throw new FormatException(
            reason[(reason.IndexOf("Z ", StringComparison.Ordinal) is var stamp and >= 0 ? stamp + 2 : 0)..].Split('.', '\n')[0] + ".");
    }

    // The program says in one line why it could not start; the host's reports of the same, with their stack traces, hide that line.
    private static bool IsStartFailure(LogEvent entry) =>
        entry.MessageTemplate.Text is "Hosting failed to start" or "Unable to start Kestrel.";
}
