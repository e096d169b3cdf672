using System.Collections.Generic;

namespace Kinds.Vendor;

/// <summary>Who makes a product.</summary>
public record Maker(string Name);

/// <summary>What only a base class of others is.</summary>
public abstract class Tracked
{
    private readonly List<Maker> _former = [];

    public void Pass(Maker maker) => _former.Add(maker);

    public int FormerCount => _former.Count;
}
