using System;
using System.Collections.Generic;

namespace BigPile.Codec.Graph;

/// <summary>Finds out whether a graph that starts at a type can reach one object by two paths.</summary>
/// <remarks>
/// An object may be shared if two paths lead to its type, or if its type is inside a collection. A member is assumed to hold an object of
/// exactly its declared type. The writer detects any other object, and then restarts with tracking.
/// </remarks>
internal sealed class SharingAnalysis
{
    private readonly HashSet<Type> _reached = [];

    public bool CanShare { get; private set; }

    public static bool Of(TypeModel root)
    {
        var analysis = new SharingAnalysis();
        analysis.Reach(root);
        return analysis.CanShare;
    }

    public void Reach(TypeModel model)
    {
        if (CanShare || !model.IsTracked)
            return;
        if (_reached.Add(model.Type))
            model.Analyze(this);
        else
            CanShare = true;
    }

    /// <summary>Visits the elements of a collection: twice, as there may be two of them.</summary>
    public void ReachEach(FieldCodec element)
    {
        element.Analyze(this);
        element.Analyze(this);
    }
}
