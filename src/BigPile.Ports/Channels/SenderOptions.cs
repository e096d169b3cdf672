using System;

namespace BigPile.Ports.Channels;

/// <summary>What a sending end is, and what it does if its port is full.</summary>
/// <param name="Type">The public type, which exceptions name.</param>
/// <param name="Name">The port's name.</param>
/// <param name="WhenFull">What an exception says then.</param>
/// <param name="Fails">Whether to throw it.</param>
/// <param name="PassesSlow">Whether receivers lose the oldest objects.</param>
/// <param name="CutsOff">Whether they lose all.</param>
internal sealed record SenderOptions(Type Type, string Name, string WhenFull, bool Fails, bool PassesSlow, bool CutsOff = false);
