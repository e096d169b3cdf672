using System;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Primitives;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting.Compact;
using Serilog.Sinks.SystemConsole.Themes;

namespace BigPile.Server.Hosting;

/// <summary>
/// Builds the console log of the program's own settings file directly. Serilog's reader would search assemblies for what the section
/// <c>Serilog</c> names, which takes longer than reading all other settings.
/// </summary>
internal static class ConsoleLog
{
    private const string NoTheme = "Serilog.Sinks.SystemConsole.Themes.ConsoleTheme::None, Serilog.Sinks.Console";

    private static readonly string[] Usings = ["Serilog.Sinks.Console", "Serilog.Sinks.Async"];

    /// <summary>Reads the section if it sets only levels and the line format.</summary>
    /// <param name="configuration">The settings.</param>
    /// <param name="format">The line format.</param>
    /// <returns>
    /// <see langword="null"/> if the section has anything else, or anything wrong; Serilog's own reader must then read it.
    /// </returns>
    internal static LoggerConfiguration? TryRead(IConfiguration configuration, LogFormat format = LogFormat.Text)
    {
        IConfigurationSection section = configuration.GetSection("Serilog");
        if (!HasOnly(section, "Using", "MinimumLevel", "WriteTo") || !section.GetSection("Using").GetChildren().All(IsOurs)
            || TemplateOf(section.GetSection("WriteTo")) is not { } template)
            return null;
        IConfigurationSection level = section.GetSection("MinimumLevel");
        if (level.Value != null || !HasOnly(level, "Default", "Override") || level.GetSection("Override").Value != null)
            return null;
        var log = new LoggerConfiguration();
        if (!TryReadLevels(level, log))
            return null;
        return log.WriteTo.Async(to => _ = format == LogFormat.Json
            ? to.Console(new RenderedCompactJsonFormatter())
            : to.Console(outputTemplate: template, theme: ConsoleTheme.None));
    }

    private static bool IsOurs(IConfigurationSection item) => Usings.Contains(item.Value, StringComparer.Ordinal);

    // Exactly one asynchronous console sink, with a template and without colours.
    private static string? TemplateOf(IConfigurationSection sinks)
    {
        if (PartsOf(OnlyChildOf(sinks), "Async") is not { } outer || !HasOnly(outer, "configure")
            || PartsOf(OnlyChildOf(outer.GetSection("configure")), "Console") is not { } inner
            || !HasOnly(inner, "outputTemplate", "theme"))
            return null;
        string? template = inner["outputTemplate"];
        // Serilog's reader would expand environment variables.
        bool isPlain = template != null && !template.Contains('%', StringComparison.Ordinal)
            && inner.GetChildren().All(static part => !part.GetChildren().Any());
        return isPlain && inner["theme"] == NoTheme ? template : null;
    }

    private static IConfigurationSection? OnlyChildOf(IConfigurationSection list)
    {
        IConfigurationSection[] children = list.Value == null ? [.. list.GetChildren()] : [];
        return children.Length == 1 ? children[0] : null;
    }

    private static IConfigurationSection? PartsOf(IConfigurationSection? call, string name)
    {
        bool isIt = call is { Value: null } && HasOnly(call, "Name", "Args") && call["Name"] == name && call["Args"] == null;
        return isIt ? call!.GetSection("Args") : null;
    }

    private static bool HasOnly(IConfigurationSection section, params string[] names) =>
        section.GetChildren().All(part => names.Contains(part.Key, StringComparer.OrdinalIgnoreCase));

    private static bool TryReadLevels(IConfigurationSection section, LoggerConfiguration log)
    {
        IConfigurationSection least = section.GetSection("Default");
        if (least.Value != null)
        {
            if (SwitchOf(least) is not { } control)
                return false;
            log.MinimumLevel.ControlledBy(control);
        }
        foreach (IConfigurationSection one in section.GetSection("Override").GetChildren())
        {
            if (SwitchOf(one) is not { } control)
                return false;
            log.MinimumLevel.Override(one.Key, control);
        }
        return true;
    }

    // Follows changes of the settings file while the program runs.
    private static LoggingLevelSwitch? SwitchOf(IConfigurationSection setting)
    {
        if (setting.GetChildren().Any() || !Enum.TryParse(setting.Value, ignoreCase: true, out LogEventLevel level))
            return null;
        var control = new LoggingLevelSwitch(level);
        ChangeToken.OnChange(setting.GetReloadToken, () => Follow(setting, control));
        return control;
    }

    private static void Follow(IConfigurationSection setting, LoggingLevelSwitch control)
    {
        if (Enum.TryParse(setting.Value, ignoreCase: true, out LogEventLevel level))
            control.MinimumLevel = level;
    }
}
