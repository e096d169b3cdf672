using System;
using System.Collections.Generic;

namespace BigPile.Codec.Graph;

/// <summary>Finds out whether the graph below a type can reach one object by two ways.</summary>
/// <remarks>
/// A place whose declared type is not sealed is taken to hold exactly that type; the writer notices when it does not. Two ways to one
/// type, or a type inside a collection, mean that an object may be shared.
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

    /// <summary>Follows the elements of a collection: there may be two of them.</summary>
    public void ReachEach(FieldCodec element)
    {
        element.Analyze(this);
        element.Analyze(this);
    }
}
