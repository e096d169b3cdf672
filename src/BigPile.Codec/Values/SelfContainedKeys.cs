using System;

namespace BigPile.Codec.Values;

/// <summary>
/// Finds key types whose hash and comparison need neither the application's code nor the content of other objects. A reader can add such
/// keys to a container at once; others must wait until the whole graph is filled.
/// </summary>
internal static class SelfContainedKeys
{
    public static bool Contains(Type key)
    {
        if (key == typeof(string) || key.IsEnum || LeafCodecs.IsPrimitive(key))
            return true;
        if (!key.IsConstructedGenericType || !key.IsValueType)
            return false;
        Type definition = key.GetGenericTypeDefinition();
        bool isTransparent = definition == typeof(Nullable<>)
            || definition.FullName!.StartsWith("System.ValueTuple`", StringComparison.Ordinal);
        return isTransparent && Array.TrueForAll(key.GetGenericArguments(), Contains);
    }
}
