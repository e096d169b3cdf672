using System;

namespace BigPile.Ports.Checking;

/// <summary>What tests inject: a callback at each crash point, and planted mistakes.</summary>
/// <param name="Hook">Called at each crash point; null outside of tests.</param>
/// <param name="Mutation">The planted mistakes.</param>
internal sealed record PortTestHooks(Action<PortCrashPoint>? Hook, PortMutation Mutation)
{
    internal void Pass(PortCrashPoint point) => Hook?.Invoke(point);

    internal bool Has(PortMutation mutation) => (Mutation & mutation) != 0;
}
