// note: keys of users are none
// into: new:convex/auth.config.ts
export default { providers: [{ type: "customJwt", issuer: "https://users.test", algorithm: "ES256", jwks: "data:application/json,{\"keys\":[{\"kty\":\"EC\",\"crv\":\"no\"}]}" }] };
