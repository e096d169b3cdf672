using System;
using System.Collections.Generic;
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
        IReadOnlyDictionary<string, object> settings = GC.GetConfigurationVariables();
        bool isLimited = settings.GetValueOrDefault(LimitName) is long and > 0;
        // Before the first collection the runtime has not counted what is committed.
        long committedBytes = Math.Max(GC.GetGCMemoryInfo().TotalCommittedBytes, GC.GetTotalMemory(forceFullCollection: false));
        return new ManagedHeap(
            isLimited ? (long)settings[LimitName] : null, isLimited && IsLimitConfigured(settings), committedBytes);
    }

    // The limit itself does not tell: in a container the runtime reports three quarters of the container's memory.
    private static bool IsLimitConfigured(IReadOnlyDictionary<string, object> settings) =>
        settings.Any(static setting => setting.Key != LimitName && setting.Key.StartsWith(LimitName, StringComparison.Ordinal)
            && setting.Value is long and > 0)
        || SettingNames.Any(static name => AppContext.GetData(name) != null)
        || !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable));
}
