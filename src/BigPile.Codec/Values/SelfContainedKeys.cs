using System;

namespace BigPile.Codec.Values;

/// <summary>Keys that can go into a hash container at once.</summary>
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
