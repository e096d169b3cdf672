using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.Configuration;
using Serilog.Core;
using Serilog.Events;

namespace BigPile.Server.Tests;

/// <summary>Which logs are made without Serilog's own reader, and that they do as that one's would.</summary>
public sealed class ConsoleLogTests
{
    private const string Sink = "Serilog:WriteTo:0:Args:configure:0";

    [Fact]
    public void The_programs_own_settings_need_no_search_through_assemblies() => Assert.NotNull(ConsoleLog.TryRead(Settings()));

    [Theory]
    [InlineData("Serilog:MinimumLevel:Default", "error")]
    [InlineData("Serilog:MinimumLevel:Override:BigPile.Http", "Verbose")]
    [InlineData(Sink + ":Args:outputTemplate", "{Message}{NewLine}")]
    public void Nor_do_other_levels_and_templates(string name, string value) => Assert.NotNull(ConsoleLog.TryRead(Settings((name, value))));

    [Theory]
    [InlineData("Serilog:MinimumLevel", "Debug")]
    [InlineData("Serilog:MinimumLevel:Default", "loud")]
    [InlineData("Serilog:MinimumLevel:Override:BigPile.Http", "$control")]
    [InlineData("Serilog:MinimumLevel:ControlledBy", "$control")]
    [InlineData("Serilog:LevelSwitches:$control", "Debug")]
    [InlineData("Serilog:Properties:Node", "1")]
    [InlineData("Serilog:Enrich:0", "FromLogContext")]
    [InlineData("Serilog:Using:2", "Serilog.Sinks.File")]
    [InlineData("Serilog:WriteTo:0:Name", "Console")]
    [InlineData("Serilog:WriteTo:0:Args:bufferSize", "500")]
    [InlineData("Serilog:WriteTo:1:Name", "Console")]
    [InlineData("Serilog:AuditTo:0:Name", "File")]
    [InlineData(Sink + ":Name", "Nope")]
    [InlineData(Sink + ":Args:theme", "Serilog.Sinks.SystemConsole.Themes.AnsiConsoleTheme::Code, Serilog.Sinks.Console")]
    [InlineData(Sink + ":Args:formatter", "Serilog.Formatting.Json.JsonFormatter")]
    [InlineData(Sink + ":Args:outputTemplate", "%HOSTNAME% {Message}")]
    [InlineData(Sink + ":Args:standardErrorFromLevel", "Error")]
    public void All_else_is_for_Serilogs_reader(string name, string value) => Assert.Null(ConsoleLog.TryRead(Settings((name, value))));

    [Fact]
    public async Task A_log_for_collectors_has_an_object_on_each_line()
    {
        using var directory = new TemporaryDirectory();
        int port = FreePort.Take();
        await using ServerProcess server = ServerProcess.Start(
            [
                "dotnet", Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), $"--urls=http://127.0.0.1:{port}",
                "--Server:LogFormat=Json", "--Server:LoadSample=false", "--Pile:SegmentBytes=4m",
            ],
            directory.Path);
        await server.WaitUntilReadyAsync(port);
        (int code, string output, string error) = await server.TerminateAsync();
        Assert.Equal((0, ""), (code, error));
        string[] messages =
        [
            .. output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(static line => JsonDocument.Parse(line).RootElement.GetProperty("@m").GetString()!),
        ];
        Assert.Contains(messages, static message => message.StartsWith("The pile is closed", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_section_that_has_more_than_the_console_says_itself_how_lines_look()
    {
        (int code, _, string error) = await CommandRun.RunAsync("--Server:LogFormat=json", "--Serilog:Enrich:0=FromLogContext");
        Assert.Equal(1, code);
        Assert.Contains("give its sinks a formatter there", error, StringComparison.Ordinal);
    }

    [Fact]
    public void Levels_are_as_they_are_said_and_follow_the_settings()
    {
        IConfigurationRoot settings = Settings(("Serilog:MinimumLevel:Override:Microsoft.Hosting", "Debug"));
        using Logger log = ConsoleLog.TryRead(settings)!.CreateLogger();
        AssertLeast(LogEventLevel.Information, log, "BigPile.Server");
        AssertLeast(LogEventLevel.Warning, log, "Microsoft.AspNetCore");
        AssertLeast(LogEventLevel.Debug, log, "Microsoft.Hosting.Lifetime");

        settings["Serilog:MinimumLevel:Default"] = "Error";
        settings["Serilog:MinimumLevel:Override:Microsoft"] = "nonsense";
        settings["Serilog:MinimumLevel:Override:Microsoft.Hosting"] = "verbose";
        settings.Reload();
        AssertLeast(LogEventLevel.Error, log, "BigPile.Server");
        AssertLeast(LogEventLevel.Warning, log, "Microsoft.AspNetCore");
        AssertLeast(LogEventLevel.Verbose, log, "Microsoft.Hosting.Lifetime");
    }

    private static void AssertLeast(LogEventLevel level, Logger log, string source)
    {
        Serilog.ILogger logger = log.ForContext(Constants.SourceContextPropertyName, source);
        Assert.True(logger.IsEnabled(level), $"{source} logs no {level}");
        Assert.False(level > LogEventLevel.Verbose && logger.IsEnabled(level - 1), $"{source} logs {level - 1}");
    }

    // Those that lie beside the program, and what is said over them.
    private static IConfigurationRoot Settings(params (string Name, string Value)[] more)
    {
        var over = new Dictionary<string, string?>();
        foreach ((string name, string value) in more)
            over[name] = value;
        return new ConfigurationBuilder()
            .AddJsonFile(Path.Combine(AppContext.BaseDirectory, "appsettings.json"))
            .AddInMemoryCollection(over)
            .Build();
    }
}
