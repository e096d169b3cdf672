using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace BigPile.Memory.Limits;

/// <summary>What the managed heap takes and may take.</summary>
/// <param name="LimitBytes">The limit that the runtime keeps, which in a container it sets itself; <see langword="null"/>: none.</param>
/// <param name="IsConfigured">Whether someone has set that limit, so that the heap is expected to need as much.</param>
/// <param name="CommittedBytes">The bytes that it has taken.</param>
internal readonly record struct ManagedHeap(long? LimitBytes, bool IsConfigured, long CommittedBytes)
{
    internal const string LimitName = "GCHeapHardLimit";

    private static readonly string[] SettingNames = ["System.GC.HeapHardLimit", LimitName]; // of runtimeconfig.json, and of a refresh
    private const string Variable = "DOTNET_" + LimitName;

    /// <summary>The heap of this process.</summary>
    internal static ManagedHeap Current()
    {
        // Before the first collection the runtime has not counted what is committed.
        long committedBytes = Math.Max(GC.GetGCMemoryInfo().TotalCommittedBytes, GC.GetTotalMemory(forceFullCollection: false));
        return Of(GC.GetConfigurationVariables(), Environment.GetEnvironmentVariable, AppContext.GetData, committedBytes);
    }

    /// <summary>The heap of a process.</summary>
    /// <param name="settings">What the runtime has taken from its configuration.</param>
    /// <param name="variable">A variable of the environment.</param>
    /// <param name="data">A setting of the application.</param>
    /// <param name="committedBytes">The bytes that the heap has taken.</param>
    internal static ManagedHeap Of(
        IReadOnlyDictionary<string, object> settings, Func<string, string?> variable, Func<string, object?> data, long committedBytes)
    {
        bool isLimited = settings.GetValueOrDefault(LimitName) is long and > 0;
        return new ManagedHeap(
            isLimited ? (long)settings[LimitName] : null, isLimited && IsLimitConfigured(settings, variable, data), committedBytes);
    }

    // The limit itself does not tell: in a container the runtime reports three quarters of the container's memory.
    private static bool IsLimitConfigured(
        IReadOnlyDictionary<string, object> settings, Func<string, string?> variable, Func<string, object?> data) =>
        settings.Any(static setting => setting.Key != LimitName && setting.Key.StartsWith(LimitName, StringComparison.Ordinal)
            && setting.Value is long and > 0)
        || SettingNames.Any(name => IsLimit(data(name))) || IsLimit(variable(Variable));

    // Decimal or hexadecimal; 0 is no limit.
    private static bool IsLimit(object? value) =>
        !string.IsNullOrEmpty(Convert.ToString(value, CultureInfo.InvariantCulture)?.TrimStart('0', 'x', 'X'));
}
