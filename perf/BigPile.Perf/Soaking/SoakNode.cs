using System.Collections.Generic;

namespace BigPile.Perf.Soaking;

/// <summary>A part of a ring of objects that the codec stores.</summary>
internal sealed class SoakNode
{
    internal uint Id { get; init; }

    internal ushort Version { get; init; }

    internal string Name { get; init; } = "";

    internal byte[] Payload { get; init; } = [];

    internal List<int> Numbers { get; init; } = [];

    /// <summary>The ring's next one; the last has its first.</summary>
    internal SoakNode? Next { get; set; }
}
